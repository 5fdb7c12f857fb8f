const quote = 0x22

interface Frame {
  isObject: boolean
  /**
   * Name of the member of a JSON object that is being read, or index of the element of an array.
   */
  current: string | number
}

/**
 * Returns the path of the innermost array or object that is open at a position in JSON text, such
 * as `render.params`. Empty for the outermost array or object. `endOfText` is a function that
 * returns the position of the quote at the end of a text.
 */
export function pathAt(
  text: Buffer,
  position: number,
  endOfText: (text: Buffer, start: number) => number,
): string {
  const frames: Frame[] = []
  let isName = false
  for (let at = 0; at < position; at += 1) {
    const byte = text[at] as number
    const frame = frames.at(-1)
    if (byte === quote) {
      const end = endOfText(text, at)
      if (isName && frame) frame.current = nameOf(text.subarray(at, end + 1))
      isName = false
      at = end
    } else if (byte === 0x7b || byte === 0x5b) {
      isName = byte === 0x7b
      frames.push({ isObject: isName, current: 0 })
    } else if (byte === 0x7d || byte === 0x5d) frames.pop()
    else if (byte === 0x2c && frame) {
      isName = frame.isObject
      if (!frame.isObject) frame.current = Number(frame.current) + 1
    }
  }
  const outer = frames.slice(0, -1).map(({ current }) => String(current))
  return outer.map((name) => name.slice(0, maxNameLength)).join('.')
}

/**
 * Maximum length of a JSON member name in an error body. Longer names are truncated, because the
 * sender of the request chooses them.
 */
const maxNameLength = 200

function nameOf(text: Buffer): string {
  try {
    return String(JSON.parse(text.toString()))
  } catch {
    return '' // The name of the JSON member has invalid escapes.
  }
}
