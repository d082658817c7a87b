// The rows of the table of codecs, each defined in the file of its own name.
#pragma once

#include "trainyard/codec/codec.hpp"

namespace trainyard {

CodecInfo identity_codec();
CodecInfo fp16_codec();
CodecInfo bf16_codec();
CodecInfo qsgd_codec();
CodecInfo qsgd_elias_codec();
CodecInfo terngrad_codec();
CodecInfo natural_codec();
CodecInfo random_k_codec();
CodecInfo random_k_unscaled_codec();
CodecInfo top_k_codec();
CodecInfo top_k_sampled_codec();
CodecInfo threshold_codec();
CodecInfo clip_codec();
CodecInfo clip_norm_codec();
CodecInfo sign_codec();
CodecInfo plain_sign_codec();
CodecInfo one_bit_codec();
CodecInfo two_bit_codec();
CodecInfo e3m0_codec();

}  // namespace trainyard
