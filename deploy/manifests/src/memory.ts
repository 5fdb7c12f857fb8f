/** Memory in MiB that an idle Node process needs outside the heap: code, stacks and buffers. */
const outsideHeap = 64

/**
 * Number of semi-spaces for which memory is reserved. V8's young generation has two semi-spaces.
 * The third is for objects that are being moved to the old generation.
 */
const semiSpaces = 3

type Units = Readonly<Record<string, number>>

export const kubernetesUnits: Units = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
}

export const composeUnits: Units = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/**
 * Compares the V8 heap limits in `NODE_OPTIONS` with the memory limit of a container. Returns the
 * fault, if any.
 */
export function memoryFault(
  { limit, units }: { limit: string | number | undefined; units: Units },
  options = '',
): string | undefined {
  if (limit === undefined) return 'the container has no memory limit'
  const sizeOf = (flag: string) =>
    Number(new RegExp(`--${flag}=(\\d+)`).exec(options)?.[1] ?? Number.NaN)
  const [heap, semiSpace] = [sizeOf('max-old-space-size'), sizeOf('max-semi-space-size')]
  if (Number.isNaN(heap + semiSpace))
    return 'NODE_OPTIONS does not set --max-old-space-size and --max-semi-space-size'
  const needed = heap + semiSpaces * semiSpace + outsideHeap
  if (mebibytes(String(limit), units) >= needed) return undefined
  return `the memory limit ${limit} is less than ${needed} MiB: heap ${heap}, young generation ${semiSpaces} × ${semiSpace}, ${outsideHeap}`
}

/** Converts a memory size with a unit to MiB. NaN if the unit is unknown. */
function mebibytes(size: string, units: Units): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(size) ?? []
  return (Number(number) * (units[unit] ?? Number.NaN)) / 1024 ** 2
}
