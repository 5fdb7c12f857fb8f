/** Pieces that make a careless pattern or parser start again at every character. */
const pieces =
  ' |\t|\r\n|\n|,|;|:|=|.|-|/|*|%|&|a|a |0|1,|1:|ü|\\|"|"\\|\\"|(|)|<|>|[|]|{|{1}|{1+}\r\n|@|a@|a.|=?|=?a?q?|=C3|&amp|&#|<a|<a b|<!--|<![CDATA[|</|<a>|--|\r\n\r\n|BODY[|BODY[] "|BODY[] "\\|//|http://|data:|%41|[[|{"a":|"a",|\0|\x01|auth=Bearer \x01'.split(
    '|',
  )
const endings = ['', '!']

/** Texts of `length` that are slow for superlinear code: one piece repeated, and an end. */
function adversarialTexts(length: number): string[] {
  return pieces.flatMap((piece) => {
    const text = piece.repeat(length / piece.length)
    return endings.map((ending) => text + ending)
  })
}

/** CPU time below which any growth is accepted. */
const negligibleMs = 100
/** Growth when a text gets four times as long. Quadratic code takes 16 times as long. */
const maxGrowth = 8
/** Compilation and garbage collection may hit one run, so the fastest run decides. */
const runs = 4

/**
 * Reads texts of 1 MB and of a quarter of that. Returns the beginnings of texts whose CPU time does
 * not grow linearly. Compares times of the same run, so slower machines have the same result.
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

/** Fastest of some runs. Ends early at `enoughMs`. */
function fastestMs(work: () => unknown, enoughMs: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && fastest > enoughMs; run++)
    fastest = Math.min(fastest, cpuMs(work))
  return fastest
}

/** Errors count as results: parsers reject most of the texts. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  try {
    work()
  } catch {}
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
