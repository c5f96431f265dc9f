"""Random programs in the format of `nlp-solve recompute`.

make_program(seed, nodes) draws one with up to that many ops: training-like
chains (forward, then backward ops that read the forward values), chains with
skip edges, branches, and random graphs, with various sizes and times, some
aliases and some ops that may run only once. Sizes and times are whole numbers, so that sums are exact.
"""

import random


class Builder:
    def __init__(self, rng):
        self.rng = rng
        self.constants, self.ops, self.sizes = [], [], {}
        self.next_id = rng.randrange(100)

    def new_id(self):
        # Ids of files are any integers, not positions.
        self.next_id += self.rng.randint(1, 3)
        return self.next_id

    def constant(self, size):
        value = self.new_id()
        self.constants.append({"id": value, "bytes": size})
        self.sizes[value] = size
        return value

    def op(self, name, seconds, inputs, sizes, alias_of=None, once=False):
        """An op with an output of each of `sizes`; the ids of those. It may
        not repeat if it is to run `once`."""
        outputs = []
        for size in sizes:
            value = self.new_id()
            self.sizes[value] = size
            outputs.append(
                {"id": value, "bytes": size, "alias_of": alias_of})
        self.ops.append({"name": f"{name}{len(self.ops)}", "seconds": seconds,
                         "inputs": inputs, "outputs": outputs,
                         **({"can_repeat": False} if once else {})})
        return [value["id"] for value in outputs]

    def program(self, results):
        return {"constants": self.constants, "ops": self.ops,
                "results": results}


def size_of(rng):
    return rng.choice([1, 2, 4, 4, 8, 8, 8, 16])


def seconds_of(rng):
    return rng.choice([1, 1, 2, 2, 3, 4, 6])


def make_step(rng, nodes, skip=0.0):
    """A training step: a forward chain and its backward, by layers."""
    build = Builder(rng)
    layers = nodes // 2
    values = [build.constant(size_of(rng))]
    reads, results = [], []
    for layer in range(layers):
        inputs = [values[-1]]
        if layer > 1 and rng.random() < skip:
            inputs.append(rng.choice(values[1:-1]))
        if rng.random() < 0.1 and layer > 0:
            values += build.op("view", 1, inputs[:1],
                               [build.sizes[values[-1]]], alias_of=values[-1])
        else:
            values += build.op("forward", seconds_of(rng), inputs,
                               [size_of(rng)])
        reads.append(inputs)
    gradients = {values[-1]: values[-1]}
    for layer in reversed(range(layers)):
        # Reads the gradient of its output, and what the forward op read or
        # made; makes gradients of the values that the forward op read.
        inputs = [gradients[values[layer + 1]], reads[layer][0]]
        if rng.random() < 0.4:
            inputs.append(values[layer + 1])
        for read in reads[layer][1:]:
            inputs += [read, *([gradients[read]] if read in gradients else [])]
        made = build.op("backward", seconds_of(rng), sorted(set(inputs)),
                        [build.sizes[read] for read in reads[layer]])
        gradients.update(zip(reads[layer], made))
        if rng.random() < 0.2:
            results.append(made[-1])
    results.append(gradients[values[0]])
    return build.program(sorted(set(results)))


def make_graph(rng, nodes, once=0.0):
    """A random graph that reads mostly recent values. A share of the ops may run
    `once` only; then the first of them makes inputs, of nothing."""
    build = Builder(rng)
    values = [build.constant(size_of(rng)) for _ in range(rng.randint(1, 2))]
    unread = set()
    if once:
        values += build.op("inputs", 1, [], [size_of(rng), size_of(rng)],
                           once=True)
        nodes -= 1
    for _ in range(nodes):
        count = min(rng.choice([1, 1, 2, 2, 3]), len(values))
        recent = values[-5:] if rng.random() < 0.7 else values
        inputs = sorted(rng.sample(recent, min(count, len(recent))))
        if rng.random() < 0.08 and inputs[0] in unread:
            made = build.op("view", 1, inputs[:1], [build.sizes[inputs[0]]],
                            alias_of=inputs[0])
        else:
            made = build.op("op", seconds_of(rng), inputs,
                            [size_of(rng)
                             for _ in range(rng.choice([1, 1, 1, 1, 2]))],
                            once=once > 0 and rng.random() < once)
        unread -= set(build.ops[-1]["inputs"])
        unread |= set(made)
        values += made
    # Most of what is not read is a result; ops without any must run, too.
    results = [v for v in sorted(unread) if rng.random() < 0.8] or values[-1:]
    return build.program(results)


def make_program(seed, nodes):
    rng = random.Random(seed)
    kind = seed % 4
    if kind == 0:
        return make_step(rng, nodes)
    if kind == 1:
        return make_step(rng, nodes, skip=0.5)
    return make_graph(rng, nodes, once=0.2 if kind == 2 else 0.0)
