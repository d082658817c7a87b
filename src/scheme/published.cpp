#include "scheme/published.hpp"

namespace trainyard {

// The scheme's own file says everything about it, in its row at the end.
Scheme sequential_scheme();
Scheme ps_sync_scheme();
Scheme ring_scheme();
Scheme zero_1_scheme();
Scheme all_reduce_scheme();
Scheme ddp_scheme();
Scheme fused_all_reduce_scheme();
Scheme ps_hierarchical_scheme();
Scheme tensor_split_scheme();

Scheme csgd_scheme();
Scheme ec_sgd_scheme();
Scheme double_squeeze_scheme();
Scheme coded_all_reduce_scheme();
Scheme terngrad_scheme();
Scheme sign_sgd_scheme();
Scheme power_sgd_scheme();
Scheme one_bit_adam_scheme();
Scheme demo_scheme();

Scheme gpipe_scheme();
Scheme one_f_one_b_scheme();
Scheme pipedream_scheme();

Scheme ps_backup_scheme();
Scheme ps_backup_interrupt_scheme();
Scheme gradient_coding_scheme();
Scheme uncoded_scheme();

Scheme ps_async_scheme();
Scheme ps_hierarchical_async_scheme();
Scheme staleness_aware_scheme();
Scheme dc_asgd_c_scheme();
Scheme dc_asgd_a_scheme();
Scheme ringmaster_scheme();
Scheme ringmaster_interrupt_scheme();
Scheme rennala_scheme();
Scheme rennala_interrupt_scheme();
Scheme downpour_scheme();
Scheme ps_activations_scheme();

Scheme ssp_scheme();
Scheme ssp_strict_scheme();
Scheme essp_scheme();
Scheme key_value_scheme();
Scheme value_bound_scheme();
Scheme ps_async_epochs_scheme();

Scheme sandblaster_scheme();

Scheme local_sgd_scheme();
Scheme local_sgd_sum_scheme();
Scheme post_local_sgd_scheme();
Scheme diloco_scheme();
Scheme streaming_diloco_scheme();
Scheme eager_diloco_scheme();
Scheme coded_diloco_scheme();
Scheme palsgd_scheme();
Scheme slowmo_scheme();
Scheme noloco_scheme();
Scheme async_local_sgd_scheme();
Scheme decoupled_diloco_scheme();
Scheme halos_scheme();
Scheme des_loc_scheme();
Scheme sparta_scheme();
Scheme sparse_loco_scheme();
Scheme fedavg_scheme();
Scheme scaffnew_scheme();
Scheme local_svrg_scheme();
Scheme fedpaq_scheme();
Scheme fedprox_scheme();
Scheme scaffold_scheme();
Scheme feddyn_scheme();
Scheme fedpd_scheme();
Scheme fed_lt_scheme();
Scheme q_fedavg_scheme();
Scheme mime_scheme();
Scheme mime_lite_scheme();
Scheme fednova_scheme();
Scheme fedopt_scheme();
Scheme fedasync_scheme();
Scheme fedbuff_scheme();
Scheme qsparse_local_sgd_scheme();
Scheme easgd_scheme();
Scheme easgd_async_scheme();
Scheme eamsgd_scheme();
Scheme tree_easgd_scheme();
Scheme mpca_sgd_scheme();

Scheme hogwild_scheme();
Scheme buckwild_scheme();
Scheme hogwild_split_scheme();
Scheme hogwild_numa_scheme();
Scheme hogwild_plus_plus_scheme();

Scheme gossip_scheme();
Scheme hierarchical_gossip_scheme();
Scheme d_psgd_scheme();
Scheme clipped_gossip_scheme();
Scheme bridge_scheme();
Scheme monna_scheme();
Scheme exact_gradient_gossip_scheme();
Scheme gradient_tracking_scheme();
Scheme diging_scheme();
Scheme gt_vr_scheme();
Scheme gt_sarah_scheme();
Scheme gt_saga_scheme();
Scheme d2_scheme();
Scheme exact_diffusion_scheme();
Scheme wang_elia_scheme();
Scheme nids_scheme();
Scheme led_scheme();
Scheme proxskip_scheme();
Scheme k_gt_scheme();
Scheme extra_scheme();
Scheme dlm_scheme();
Scheme lt_admm_scheme();
Scheme lt_admm_vr_scheme();
Scheme dinno_scheme();
Scheme admm_scheme();
Scheme atg_scheme();
Scheme sgp_scheme();
Scheme sgp_overlap_scheme();
Scheme gossip_pga_scheme();
Scheme gossip_aga_scheme();
Scheme quasi_global_momentum_scheme();
Scheme relay_sum_scheme();
Scheme matcha_scheme();
Scheme ad_psgd_scheme();
Scheme gosgd_scheme();

Scheme naive_compression_scheme();
Scheme dcd_scheme();
Scheme ecd_scheme();
Scheme choco_scheme();
Scheme deep_squeeze_scheme();

namespace {

using RowOfScheme = Scheme (*)();

// A line each.
// clang-format off
const RowOfScheme published[] = {
  sequential_scheme,
  ps_sync_scheme,
  ring_scheme,
  zero_1_scheme,
  all_reduce_scheme,
  ddp_scheme,
  fused_all_reduce_scheme,
  ps_hierarchical_scheme,
  tensor_split_scheme,
  csgd_scheme,
  ec_sgd_scheme,
  double_squeeze_scheme,
  coded_all_reduce_scheme,
  terngrad_scheme,
  sign_sgd_scheme,
  power_sgd_scheme,
  one_bit_adam_scheme,
  demo_scheme,

  gpipe_scheme,
  one_f_one_b_scheme,
  pipedream_scheme,

  ps_backup_scheme,
  ps_backup_interrupt_scheme,
  gradient_coding_scheme,
  uncoded_scheme,
  ps_async_scheme,
  ps_hierarchical_async_scheme,
  staleness_aware_scheme,
  dc_asgd_c_scheme,
  dc_asgd_a_scheme,
  ringmaster_scheme,
  ringmaster_interrupt_scheme,
  rennala_scheme,
  rennala_interrupt_scheme,
  downpour_scheme,
  ps_activations_scheme,
  ssp_scheme,
  ssp_strict_scheme,
  essp_scheme,
  key_value_scheme,
  value_bound_scheme,
  ps_async_epochs_scheme,
  sandblaster_scheme,

  local_sgd_scheme,
  local_sgd_sum_scheme,
  post_local_sgd_scheme,
  diloco_scheme,
  streaming_diloco_scheme,
  eager_diloco_scheme,
  coded_diloco_scheme,
  palsgd_scheme,
  slowmo_scheme,
  noloco_scheme,
  async_local_sgd_scheme,
  decoupled_diloco_scheme,
  halos_scheme,
  des_loc_scheme,
  sparta_scheme,
  sparse_loco_scheme,
  fedavg_scheme,
  scaffnew_scheme,
  local_svrg_scheme,
  fedpaq_scheme,
  fedprox_scheme,
  scaffold_scheme,
  feddyn_scheme,
  fedpd_scheme,
  fed_lt_scheme,
  q_fedavg_scheme,
  mime_scheme,
  mime_lite_scheme,
  fednova_scheme,
  fedopt_scheme,
  fedasync_scheme,
  fedbuff_scheme,
  qsparse_local_sgd_scheme,
  easgd_scheme,
  easgd_async_scheme,
  eamsgd_scheme,
  tree_easgd_scheme,
  mpca_sgd_scheme,

  hogwild_scheme,
  buckwild_scheme,
  hogwild_split_scheme,
  hogwild_numa_scheme,
  hogwild_plus_plus_scheme,

  gossip_scheme,
  hierarchical_gossip_scheme,
  d_psgd_scheme,
  clipped_gossip_scheme,
  bridge_scheme,
  monna_scheme,
  exact_gradient_gossip_scheme,
  gradient_tracking_scheme,
  diging_scheme,
  gt_vr_scheme,
  gt_sarah_scheme,
  gt_saga_scheme,
  d2_scheme,
  exact_diffusion_scheme,
  wang_elia_scheme,
  nids_scheme,
  led_scheme,
  proxskip_scheme,
  k_gt_scheme,
  extra_scheme,
  dlm_scheme,
  lt_admm_scheme,
  lt_admm_vr_scheme,
  dinno_scheme,
  admm_scheme,
  atg_scheme,
  sgp_scheme,
  sgp_overlap_scheme,
  gossip_pga_scheme,
  gossip_aga_scheme,
  quasi_global_momentum_scheme,
  relay_sum_scheme,
  matcha_scheme,
  ad_psgd_scheme,
  gosgd_scheme,
  naive_compression_scheme,
  dcd_scheme,
  ecd_scheme,
  choco_scheme,
  deep_squeeze_scheme,
};
// clang-format on

}  // namespace

std::vector<Scheme> published_schemes() {
  std::vector<Scheme> rows;
  for (const auto& row : published) rows.push_back(row());
  return rows;
}

}  // namespace trainyard
