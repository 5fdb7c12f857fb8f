import {
  fromBase64Url,
  invalidId,
  isPart,
  type MessagePosition,
  packPosition,
  positionBytes,
  unpackPosition,
} from './bytes.ts'

/** The text of a message: the numbers of its plain and of its HTML parts, in their order. */
export interface TextPosition extends MessagePosition {
  plain: string[]
  html: string[]
}

/** What an operation takes as a text id at most. */
const maxLength = 10_240

/** The id of a message's text. A message with so many parts that the id gets too long keeps the first ones. */
export function encodeTextId({ plain, html, ...position }: TextPosition): string {
  for (const part of [...plain, ...html])
    if (!isPart(part)) throw new RangeError(`not a body part: ${part}`)
  const room = Math.floor((maxLength * 3) / 4) - positionBytes - 1
  const kept = { plain: within(plain, room), html: [] as string[] }
  kept.html = within(html, room - kept.plain.join(',').length)
  const parts = Buffer.from(`${kept.plain.join(',')};${kept.html.join(',')}`, 'latin1')
  return Buffer.concat([packPosition(position), parts]).toString('base64url')
}

/**
 * The parts that a text id names.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeTextId(id: string): TextPosition {
  const bytes = id.length <= maxLength ? fromBase64Url(id) : undefined
  if (!bytes) throw invalidId()
  const position = unpackPosition(bytes)
  const lists = bytes.subarray(positionBytes).toString('latin1').split(';')
  const [plain, html] = lists
  if (plain === undefined || html === undefined || lists.length !== 2) throw invalidId()
  return { ...position, plain: readParts(plain), html: readParts(html) }
}

function readParts(list: string): string[] {
  const parts = list === '' ? [] : list.split(',')
  if (!parts.every(isPart)) throw invalidId()
  return parts
}

/** As many parts from the start as fit into so many characters. */
function within(parts: readonly string[], room: number): string[] {
  let used = 0
  const fitting = parts.findIndex((part) => (used += part.length + 1) > room + 1)
  return fitting === -1 ? [...parts] : parts.slice(0, fitting)
}
