# bash completion for trainyard, made by scripts/reference.py
_trainyard() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} flags=""
  COMPREPLY=()
  case $before in
    --scheme)
      COMPREPLY=($(compgen -W "sequential ps-sync ring zero-1 all-reduce ddp fused-all-reduce ps-hierarchical tensor-split csgd ec-sgd double-squeeze coded-all-reduce terngrad sign-sgd power-sgd one-bit-adam gpipe 1f1b ps-backup ps-backup-interrupt gradient-coding uncoded sandblaster pipedream ps-async ps-hierarchical-async staleness-aware dc-asgd-c dc-asgd-a downpour ps-activations ssp ssp-strict essp key-value value-bound ps-async-epochs local-sgd post-local-sgd fedavg fedpaq qsparse-local-sgd easgd easgd-async eamsgd tree-easgd mpca-sgd hogwild buckwild hogwild-split hogwild-numa hogwild++ gossip hierarchical-gossip d-psgd exact-gradient-gossip gradient-tracking diging d2 exact-diffusion nids extra sgp sgp-overlap gossip-pga gossip-aga qgm relay-sum matcha ad-psgd gosgd naive-compression dcd ecd choco deep-squeeze" -- "$word"))
      return ;;
    --schemes)
      COMPREPLY=($(compgen -W "sequential ps-sync ring zero-1 all-reduce ddp fused-all-reduce ps-hierarchical tensor-split csgd ec-sgd double-squeeze coded-all-reduce terngrad sign-sgd power-sgd one-bit-adam gpipe 1f1b ps-backup ps-backup-interrupt gradient-coding uncoded sandblaster pipedream ps-async ps-hierarchical-async staleness-aware dc-asgd-c dc-asgd-a downpour ps-activations ssp ssp-strict essp key-value value-bound ps-async-epochs local-sgd post-local-sgd fedavg fedpaq qsparse-local-sgd easgd easgd-async eamsgd tree-easgd mpca-sgd hogwild buckwild hogwild-split hogwild-numa hogwild++ gossip hierarchical-gossip d-psgd exact-gradient-gossip gradient-tracking diging d2 exact-diffusion nids extra sgp sgp-overlap gossip-pga gossip-aga qgm relay-sum matcha ad-psgd gosgd naive-compression dcd ecd choco deep-squeeze" -- "$word"))
      return ;;
    --topology)
      COMPREPLY=($(compgen -W "ring path star full grid torus hypercube one-peer-hypercube static-exp one-peer-exp base simple-base margulis random-regular erdos-renyi geometric d-equistatic u-equistatic od-equidyn ou-equidyn file digraph shows" -- "$word"))
      return ;;
    --codec)
      COMPREPLY=($(compgen -W "identity fp16 bf16 qsgd qsgd-elias terngrad natural random-k random-k-unscaled top-k top-k-sampled threshold clip clip-norm sign plain-sign one-bit two-bit wire about" -- "$word"))
      return ;;
    --collective)
      COMPREPLY=($(compgen -W "ring ring-unpartitioned tree tree-root hierarchical-ring recursive-doubling rabenseifner ps ps-sharded ps-colocated hierarchical by-size broadcast reduce reduce-scatter all-gather barrier" -- "$word"))
      return ;;
    --dataset)
      COMPREPLY=($(compgen -W "sparse-logistic power-law dense-logistic two-scales blobs a9a w8a rcv1-small news20-binary news20 heart_scale fashion-mnist letter optdigits higgs-small skin rcv1 covtype real-sim news20.binary mnist epsilon higgs" -- "$word"))
      return ;;
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "run compare timeline netcheck predict topology consensus report lab split list machine" -- "$word"))
    return
  fi
  [[ $word == -* ]] || return
  case ${COMP_WORDS[1]} in
    run) flags="--scheme --workers --split --servers --time --epochs --steps --seconds --target-loss --target-accuracy --target-gradient --seed --evaluate-every --gradient-norm --gradient-noise --topology --collective --codec --bucket --wire --cycle-time --fusion-buffer --tensor-size --direction --coded-form --clip-deviations --rank --power-memory --freeze-step --stages --microbatches --backups --stragglers --copies --distinct --queue --lambda --lambda0 --mean-square --fetch-period --push-period --warm-start --staleness --significance --proxies --value-bound --epoch-share --push --machine-threads --history --period --switch-epoch --participation --moving-rate --worker-rate --exchange --delta --fan-out --period-up --period-down --period-growth --penalty --extrapolation --access --model-bits --model-range --exchange-uses --groups --token-updates --tolerance --group-size --mixing-share --step-spread --global-period --quasi-momentum --quasi-memory --budget --send-probability --consensus-rate --choco-order --dataset --test --data-format --data-dir --data-seed --labels --test-labels --header --label-column --columns --drop-columns --missing --scale --intercept --partition --weights --order --replacement --data-source --model --l2 --batch --global-batch --optimizer --lr --lr-schedule --lr-decay --warmup --momentum --beta1 --beta2 --latency --bandwidth --ports --server-placement --sparse-wire --racks --between-latency --between-bandwidth --links --jitter --charge-control --compute-time --encode-time --decode-time --line-time --straggler --compute-noise --pause --placement --counters --force-memory --out --trace --trace-steps --html --format --quiet --progress --force --json" ;;
    compare) flags="--schemes --vary --map --seeds --tune-lr --jobs --workers --split --servers --time --epochs --steps --seconds --target-loss --target-accuracy --target-gradient --seed --evaluate-every --gradient-norm --gradient-noise --topology --collective --codec --bucket --wire --cycle-time --fusion-buffer --tensor-size --direction --coded-form --clip-deviations --rank --power-memory --freeze-step --stages --microbatches --backups --stragglers --copies --distinct --queue --lambda --lambda0 --mean-square --fetch-period --push-period --warm-start --staleness --significance --proxies --value-bound --epoch-share --push --machine-threads --history --period --switch-epoch --participation --moving-rate --worker-rate --exchange --delta --fan-out --period-up --period-down --period-growth --penalty --extrapolation --access --model-bits --model-range --exchange-uses --groups --token-updates --tolerance --group-size --mixing-share --step-spread --global-period --quasi-momentum --quasi-memory --budget --send-probability --consensus-rate --choco-order --dataset --test --data-format --data-dir --data-seed --labels --test-labels --header --label-column --columns --drop-columns --missing --scale --intercept --partition --weights --order --replacement --data-source --model --l2 --batch --global-batch --optimizer --lr --lr-schedule --lr-decay --warmup --momentum --beta1 --beta2 --latency --bandwidth --ports --server-placement --sparse-wire --racks --between-latency --between-bandwidth --links --jitter --charge-control --compute-time --encode-time --decode-time --line-time --straggler --compute-noise --pause --placement --counters --force-memory --out --trace --trace-steps --html --format --quiet --progress --force --json" ;;
    timeline) flags="--workers --servers --topology --collective --codec --bucket --wire --cycle-time --fusion-buffer --latency --bandwidth --ports --server-placement --compute-time --steps --json --svg --html --force --quiet" ;;
    netcheck) flags="--workers --servers --latency --bandwidth --ports --time --placement --size --repetitions --collectives --json --html --force --quiet" ;;
    predict) flags="--schemes --size --rows --density --vary --workers --servers --codec --bucket --wire --cycle-time --fusion-buffer --tensor-size --direction --coded-form --clip-deviations --rank --power-memory --freeze-step --stages --microbatches --backups --stragglers --copies --distinct --queue --lambda --lambda0 --mean-square --fetch-period --push-period --warm-start --staleness --significance --proxies --value-bound --epoch-share --push --machine-threads --history --period --switch-epoch --participation --moving-rate --worker-rate --exchange --delta --fan-out --period-up --period-down --period-growth --penalty --extrapolation --access --model-bits --model-range --exchange-uses --groups --token-updates --tolerance --group-size --mixing-share --step-spread --global-period --quasi-momentum --quasi-memory --budget --send-probability --consensus-rate --choco-order --batch --latency --bandwidth --ports --server-placement --sparse-wire --racks --between-latency --between-bandwidth --links --jitter --charge-control --compute-time --encode-time --decode-time --line-time --straggler --compute-noise --pause --force-memory --split --dataset --data-dir --model --reduce-rate --update-rate --break-even --training-time --tokens --parameters --devices --peak --utilisation --json --html --force --quiet" ;;
    topology) flags="--workers --seed --size --json --svg --html --force --quiet" ;;
    consensus) flags="--topology --workers --seed --rounds --from --json --html --force --quiet" ;;
    report) flags="--json --html --force --quiet" ;;
    lab) flags="--port --listen-to-network --export --force" ;;
    split) flags="--workers --seed --dataset --test --data-format --data-dir --data-seed --labels --test-labels --header --label-column --columns --drop-columns --missing --scale --intercept --partition --weights --model --out --force" ;;
    list) flags="--json" ;;
    machine) flags="--workers --placement --measure" ;;
  esac
  COMPREPLY=($(compgen -W "$flags" -- "$word"))
}
complete -o default -F _trainyard trainyard
