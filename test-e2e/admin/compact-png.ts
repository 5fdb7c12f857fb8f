import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Length of the signature of a PNG file (PNG §5.2). */
const signatureBytes = 8
/** Bytes of a PNG chunk besides its data: length, type and checksum (PNG §5.3). */
const chunkBytes = 12
/** Bytes per pixel with the colour types 2 (RGB) and 6 (RGBA) of 8 bits per channel. */
const pixelBytes: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

/**
 * Compresses the PNG file of a browser again, with the same pixels. Rows have no filter, because
 * letters and plain areas become smaller than with the filters of the browser.
 */
export function compactPng(png: Buffer): Buffer {
  const parts: Buffer[] = [png.subarray(0, signatureBytes)]
  const packed: Buffer[] = []
  for (let at = signatureBytes; at < png.length;) {
    const end = at + chunkBytes + png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') packed.push(png.subarray(at + 8, end - 4))
    // The PNG chunk IEND follows all chunks with pixels.
    if (type === 'IEND') parts.push(pixelChunk(png, Buffer.concat(packed)))
    if (type !== 'IDAT') parts.push(png.subarray(at, end))
    at = end
  }
  return Buffer.concat(parts)
}

function pixelChunk(png: Buffer, packed: Buffer): Buffer {
  // The PNG chunk IHDR is first: width, height, depth, colour type (PNG §11.2.1).
  const unit = pixelBytes[png.readUInt8(signatureBytes + 17)]
  if (unit === undefined) throw new Error('the PNG file has another colour type than RGB and RGBA')
  const rowBytes = png.readUInt32BE(signatureBytes + 8) * unit
  const rows = removeFilters(inflateSync(packed), { rowBytes, unit })
  const content = deflateSync(rows, { level: 9, memLevel: 9 })
  const body = Buffer.concat([Buffer.from('IDAT', 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/**
 * Reverses the filters of all rows of a PNG file (PNG §9.2). Each row begins with the number of its
 * filter.
 */
function removeFilters(
  rows: Buffer,
  { rowBytes, unit }: { rowBytes: number; unit: number },
): Buffer {
  const step = rowBytes + 1
  for (let start = 0; start < rows.length; start += step) {
    const predict = predictions[rows[start] ?? 0]
    rows[start] = 0
    if (!predict) continue
    for (let at = start + 1; at < start + step; at += 1) {
      const isInner = at > start + unit
      const left = isInner ? (rows[at - unit] ?? 0) : 0
      const above = rows[at - step] ?? 0
      const corner = isInner ? (rows[at - step - unit] ?? 0) : 0
      rows[at] = (rows[at] ?? 0) + predict(left, above, corner)
    }
  }
  return rows
}

/** Prediction of a byte by its neighbours in the row and in the row above. */
type Predict = (left: number, above: number, corner: number) => number

/** Predictions of the filters of a PNG row by filter number (PNG §9.2). Filter 0 predicts 0. */
const predictions: readonly (Predict | undefined)[] = [
  undefined,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  predictByPaeth,
]

function predictByPaeth(left: number, above: number, corner: number): number {
  const a = Math.abs(above - corner)
  const b = Math.abs(left - corner)
  const c = Math.abs(left + above - 2 * corner)
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}
