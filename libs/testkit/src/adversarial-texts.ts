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

/** CPU time in milliseconds below which any growth of the time is accepted. */
const negligibleMs = 100
/**
 * Maximum growth of the CPU time for a text that is four times as long. Quadratic code needs 16
 * times the time.
 */
const maxGrowth = 8
/**
 * Number of repeats of a time measurement. The fastest run counts, because compilation and garbage
 * collection may slow down a run.
 */
const runs = 4

/**
 * Measures how long `read` takes for texts of 1 MB and of 250 kB. Returns the beginnings of texts
 * whose CPU time does not grow linearly. Slower machines have the same result, because times of one
 * run are compared.
 */
export function slowTexts(read: (text: string) => unknown): string[] {
  return adversarialTexts(1_000_000).flatMap((text) => {
    const ms = fastestMs(() => read(text), negligibleMs)
    if (ms <= negligibleMs) return []
    const quarterMs = fastestMs(() => read(text.slice(0, text.length / 4)), 0)
    return ms > quarterMs * maxGrowth
      ? [`${JSON.stringify(text.slice(0, 12))} ${Math.round(ms)} ms`]
      : []
  })
}

/**
 * CPU time of the fastest of several runs of the measured code in milliseconds. Ends after a run of
 * at most `enoughMs`.
 */
function fastestMs(work: () => unknown, enoughMs: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && fastest > enoughMs; run++)
    fastest = Math.min(fastest, cpuMs(work))
  return fastest
}

/**
 * CPU time of a run of the measured code in milliseconds. An error of the code is ignored, because
 * parsers reject most of the texts.
 */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  try {
    work()
  } catch {}
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
