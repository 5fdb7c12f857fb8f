import type { StreamResponse } from './handle.ts'

/** Characters of a member that are converted to JSON at a time: 1 ms each. */
const pieceLength = 512 * 1024

/** True if an object has a text that would block the event loop while it becomes JSON. */
export function hasLargeText(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    Object.values(result).some((member) => typeof member === 'string' && isLarge(member))
  )
}

function isLarge(text: string): boolean {
  return text.length > pieceLength
}

/** JSON of an object as a stream, between whose pieces the event loop runs. */
export function streamJson(result: object): StreamResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return { headers, body: encode(jsonPieces(result)) }
}

async function* encode(pieces: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

/** JSON of an object. Each piece has at most one piece of a large text. */
export function* jsonPieces(result: object): Generator<string> {
  let separator = '{'
  for (const [name, member] of Object.entries(result)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (typeof member === 'string' && isLarge(member)) yield* textPieces(member)
    else yield JSON.stringify(member)
  }
  yield separator === '{' ? '{}' : '}'
}

/** A character of two UTF-16 units that is divided becomes two escapes, which JSON joins again. */
function* textPieces(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; at += pieceLength)
    yield JSON.stringify(text.slice(at, at + pieceLength)).slice(1, -1)
  yield '"'
}
