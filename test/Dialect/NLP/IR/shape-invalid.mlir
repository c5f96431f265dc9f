// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @reshape_c1_count(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected 12 elements of type 'f32', but got 'tensor<13xf32>'}}
  %0 = nlp.reshape %x : tensor<2x6xf32> -> tensor<13xf32>
  return
}

// -----

func.func @reshape_c1_type(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected 12 elements of type 'f32', but got 'tensor<12xbf16>'}}
  %0 = nlp.reshape %x : tensor<2x6xf32> -> tensor<12xbf16>
  return
}

// -----

func.func @transpose_c1_twice(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a permutation of the dimensions of 'tensor<2x6xf32>'}}
  %0 = nlp.transpose %x [1, 1] : tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_range(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a permutation of the dimensions of 'tensor<2x6xf32>'}}
  %0 = nlp.transpose %x [0, 2] : tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_negative(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a permutation of the dimensions of 'tensor<2x6xf32>'}}
  %0 = nlp.transpose %x [0, -1] : tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_few(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a permutation of 2 dimensions, but got 1}}
  %0 = nlp.transpose %x [0] : tensor<2x6xf32>
  return
}

// -----

func.func @split_c1(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a dimension of 'tensor<2x6xf32>', but got 2}}
  %0:2 = nlp.split %x dim 2 [4, 2] : tensor<2x6xf32>
  return
}

// -----

func.func @split_c2_positive(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected positive sizes, but got 0}}
  %0:2 = nlp.split %x dim 1 [6, 0] : tensor<2x6xf32>
  return
}

// -----

func.func @split_c2_less(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected sizes that add up to 6, but got 5}}
  %0:2 = nlp.split %x dim 1 [3, 2] : tensor<2x6xf32>
  return
}

// -----

func.func @split_c2_more(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected sizes that add up to 6, but got more}}
  %0:3 = nlp.split %x dim 1 [3, 9223372036854775807, 9223372036854775807]
      : tensor<2x6xf32>
  return
}

// -----

// expected-error @+2 {{failed to infer returned types}}
// expected-error @+1 {{expected at least one part}}
%0 = "nlp.concat"() <{dim = 0 : i64}> : () -> tensor<1xf32>

// -----

func.func @concat_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a dimension of 'tensor<2xf32>', but got -1}}
  %0 = nlp.concat %x, %x dim -1 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @concat_c2_shape(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+1 {{expected parts that differ in dimension 1 only, but got 'tensor<2x3xf32>' and 'tensor<3x3xf32>'}}
  %0 = nlp.concat %x, %y dim 1 : tensor<2x3xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @concat_c2_rank(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{expected parts that differ in dimension 0 only}}
  %0 = nlp.concat %x, %y dim 0 : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @concat_c2_type(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  // expected-error @+1 {{expected parts that differ in dimension 0 only}}
  %0 = nlp.concat %x, %y dim 0 : tensor<2xf32>, tensor<2xf16>
  return
}

// -----

func.func @concat_tensors(%x: tensor<2xf32>, %y: f32) {
  // expected-error @+1 {{expected tensors with static sizes of 1 or more and 2^56 bytes at most, but got 'f32'}}
  %0 = nlp.concat %x, %y dim 0 : tensor<2xf32>, f32
  return
}

// -----

func.func @slice_c1(%x: tensor<f32>) {
  // expected-error @+1 {{expected a dimension of 'tensor<f32>', but got 0}}
  %0 = nlp.slice %x dim 0 from 0 size 1 : tensor<f32>
  return
}

// -----

func.func @slice_c2_offset(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a range within dimension 0 of 'tensor<6xf32>', but got [-1, -1 + 2)}}
  %0 = nlp.slice %x dim 0 from -1 size 2 : tensor<6xf32>
  return
}

// -----

func.func @slice_c2_size(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a range within dimension 0 of 'tensor<6xf32>', but got [2, 2 + 0)}}
  %0 = nlp.slice %x dim 0 from 2 size 0 : tensor<6xf32>
  return
}

// -----

func.func @slice_c2_end(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a range within dimension 0 of 'tensor<6xf32>', but got [5, 5 + 2)}}
  %0 = nlp.slice %x dim 0 from 5 size 2 : tensor<6xf32>
  return
}

// -----

// The sum of offset and size leaves int64.
func.func @slice_c2_overflow(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a range within dimension 0 of 'tensor<6xf32>'}}
  %0 = nlp.slice %x dim 0 from 9223372036854775807 size 6 : tensor<6xf32>
  return
}

// -----

func.func @slice_missing(%x: tensor<6xf32>) {
  // expected-error @+1 {{requires attribute 'dim'}}
  %0 = "nlp.slice"(%x) <{offset = 0 : i64, size = 1 : i64}>
      : (tensor<6xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a dimension of 'tensor<6xf32>', but got 1}}
  %0 = nlp.pad %x dim 1 by 1, 1 : tensor<6xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected padding of 0 or more, but got -1 and 1}}
  %0 = nlp.pad %x dim 0 by -1, 1 : tensor<6xf32>
  return
}

// -----

func.func @pad_c2_overflow(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected padding of 0 or more, but got 9223372036854775807 and 9223372036854775807}}
  %0 = nlp.pad %x dim 0 by 9223372036854775807, 9223372036854775807
      : tensor<6xf32>
  return
}

// -----

func.func @pad_bytes(%x: tensor<6xf32>) {
  // expected-error @+1 {{result #0 must be tensor with static sizes of 1 or more and 2^56 bytes at most}}
  %0 = nlp.pad %x dim 0 by 9223372036854775801, 0 : tensor<6xf32>
  return
}

// -----

func.func @broadcast_c1_suffix(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a result whose last dimensions are those of 'tensor<6xf32>', but got 'tensor<6x2xf32>'}}
  %0 = nlp.broadcast %x : tensor<6xf32> -> tensor<6x2xf32>
  return
}

// -----

func.func @broadcast_c1_rank(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a result whose last dimensions are those of 'tensor<2x6xf32>', but got 'tensor<6xf32>'}}
  %0 = nlp.broadcast %x : tensor<2x6xf32> -> tensor<6xf32>
  return
}

// -----

func.func @broadcast_c1_type(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected a result whose last dimensions are those of}}
  %0 = nlp.broadcast %x : tensor<6xf32> -> tensor<2x6xf16>
  return
}

// -----

func.func @reduce_sum_c1_none(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected 1 to 2 leading dimensions, but got 0}}
  %0 = nlp.reduce_sum %x leading 0 : tensor<2x6xf32>
  return
}

// -----

func.func @reduce_sum_c1_many(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected 1 to 2 leading dimensions, but got 3}}
  %0 = nlp.reduce_sum %x leading 3 : tensor<2x6xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{expected a result of the input's shape, but got 'tensor<12xf16>'}}
  %0 = nlp.cast %x : tensor<2x6xf32> -> tensor<12xf16>
  return
}
