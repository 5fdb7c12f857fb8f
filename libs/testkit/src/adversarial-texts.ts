import { cpuMs, maxRuns } from './cpu-time.ts'

/** Pieces of text at which a careless pattern or parser starts again at every character. */
const pieces =
  ' |\t|\r\n|\n|,|;|:|=|.|-|/|*|%|&|a|a |0|1,|1:|ü|\\|"|"\\|\\"|(|)|<|>|[|]|{|{1}|{1+}\r\n|@|a@|a.|=?|=?a?q?|=C3|&amp|&#|<a|<a b|<!--|<![CDATA[|</|<a>|--|\r\n\r\n|BODY[|BODY[] "|BODY[] "\\|//|http://|data:|%41|[[|{"a":|"a",|\0|\x01|auth=Bearer \x01'.split(
    '|',
  )
const endings = ['', '!']

/**
 * Texts of `length` characters that are slow for code with superlinear time. Each text repeats one
 * piece and has another end.
 */
function adversarialTexts(length: number): string[] {
  return pieces.flatMap((piece) => {
    const text = piece.repeat(length / piece.length)
    return endings.map((ending) => text + ending)
  })
}

/** CPU time of reading a text, in milliseconds, below which any growth of the time is accepted. */
const negligibleMs = 100
/**
 * Maximum factor by which the CPU time of reading may grow for a text that is four times as long.
 * Quadratic code needs 16 times the time.
 */
const maxGrowth = 8
/**
 * Number of measurements of the quarter of a text beside one measurement of the whole text. A slow
 * measurement of the quarter alone would hide superlinear time.
 */
const quarterRuns = 3

/**
 * Measures how long `read` takes for texts of 1 MB and of 250 kB. Returns the beginnings of texts
 * whose CPU time does not grow linearly. Slower machines have the same result, because times of one
 * run are compared.
 */
export function slowTexts(read: (text: string) => unknown): string[] {
  return adversarialTexts(1_000_000).flatMap((text) => {
    const ms = slowMs(read, text)
    return ms === undefined ? [] : [`${JSON.stringify(text.slice(0, 12))} ${Math.round(ms)} ms`]
  })
}

/**
 * CPU time of reading a whole text in milliseconds; undefined if the time is negligible, or grows
 * linearly. The whole text and its first quarter are measured in turn, so that a slow phase of the
 * machine concerns both.
 */
function slowMs(read: (text: string) => unknown, text: string): number | undefined {
  const quarter = text.slice(0, text.length / 4)
  let whole = Number.POSITIVE_INFINITY
  let part = Number.POSITIVE_INFINITY
  for (let run = 0; run < maxRuns; run++) {
    whole = Math.min(whole, readMs(read, text))
    if (whole <= negligibleMs) return undefined
    for (let count = 0; count < quarterRuns; count++) part = Math.min(part, readMs(read, quarter))
    if (whole <= part * maxGrowth) return undefined
  }
  return whole
}

/**
 * CPU time of a call of `read` in milliseconds. An error of `read` is ignored, because parsers
 * reject most of the texts.
 */
function readMs(read: (text: string) => unknown, text: string): number {
  return cpuMs(() => {
    try {
      read(text)
    } catch {}
  })
}
