/** Range of bytes of an export's file. The offsets `start` and `end` are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses the header `Range` of a request for an export's file (RFC 9110 §14.1.2). Undefined for a
 * header that is ignored, so that the whole file is sent: another unit, several ranges, or a
 * malformed range.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] =
    /^bytes[ \t]*=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  const range = first === '' ? lastBytes(last, size) : between(first, last, size)
  return range && range.start >= size ? 'unsatisfiable' : range
}

/** Range of the last bytes of an export's file, such as `-500`. */
function lastBytes(count: string, size: number): ByteRange | undefined {
  return count === '' ? undefined : { start: Math.max(0, size - Number(count)), end: size - 1 }
}

/** Range from one offset of an export's file to another, or to the end: `500-999` or `500-`. */
function between(first: string, last: string, size: number): ByteRange | undefined {
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  return start > end ? undefined : { start, end: Math.min(end, size - 1) }
}
