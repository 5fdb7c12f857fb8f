const headerBytes = 20
/** Object id (OID) of the Postgres type `text`. */
const textType = 25
/** Element length that stands for a null element in Postgres's binary format of arrays. */
const nullLength = -1

/**
 * Value of a `text[]` parameter in Postgres's binary format: number of dimensions, flag for nulls,
 * type of the elements, number of elements, lower bound, then length and bytes of each element
 * (`array_recv` in Postgres's `arrayfuncs.c`). Used for columns of long texts: node-postgres
 * escapes each quote and backslash, which takes 300 ms of CPU time for 8 MB of JSON. The binary
 * format takes 7 ms.
 */
export function textArray(texts: readonly (string | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? nullLength : Buffer.byteLength(text)))
  const total = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerBytes)
  const encoded = Buffer.allocUnsafe(total)
  const hasNull = texts.includes(null) ? 1 : 0
  let at = 0
  for (const value of [1, hasNull, textType, texts.length, 1]) at = encoded.writeInt32BE(value, at)
  for (const [index, length] of lengths.entries()) {
    at = encoded.writeInt32BE(length, at)
    at += encoded.write(texts[index] ?? '', at)
  }
  return encoded
}
