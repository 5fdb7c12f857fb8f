/** Pieces that make a careless pattern or parser start again at every character. */
const pieces =
  ' |\t|\r\n|\n|,|;|:|=|.|-|/|*|%|&|a|a |0|1,|1:|ü|\\|"|"\\|\\"|(|)|<|>|[|]|{|{1}|{1+}\r\n|@|a@|a.|=?|=?a?q?|=C3|&amp|&#|<a|<a b|<!--|<![CDATA[|</|<a>|--|\r\n\r\n|BODY[|BODY[] "|BODY[] "\\|//|http://|data:|%41|[[|{"a":|"a",|\0|\x01|auth=Bearer \x01'.split(
    '|',
  )
const endings = ['', '!']

/** Texts of a size that are bad for superlinear code: one piece repeated, and an end. */
function adversarialTexts(length: number): string[] {
  return pieces.flatMap((piece) => {
    const text = piece.repeat(length / piece.length)
    return endings.map((ending) => text + ending)
  })
}

/** CPU time of the reference on the machine for which the limit of 100 ms was chosen. */
const usualReferenceMs = 12
const limitMs = 100
/** Compilation and garbage collection may hit one run, so the fastest run decides. */
const maxRuns = 4

/**
 * Reads texts of 1 MB and returns the beginnings of those that take more than 100 ms of CPU time.
 * The limit grows with the time of a reference in the same run, for slower machines.
 */
export function slowTexts(read: (text: string) => unknown): string[] {
  const allowedMs = limitMs * Math.max(1, referenceMs() / usualReferenceMs)
  return adversarialTexts(1_000_000).flatMap((text) => {
    let fastest = Number.POSITIVE_INFINITY
    for (let run = 0; run < maxRuns && fastest > allowedMs; run++)
      fastest = Math.min(
        fastest,
        cpuMs(() => read(text)),
      )
    return fastest > allowedMs
      ? [`${JSON.stringify(text.slice(0, 12))} ${Math.round(fastest)} ms`]
      : []
  })
}

/** Splits 1 MB into words and joins them: about as much work as a parser has. */
function referenceMs(): number {
  const text = 'word '.repeat(200_000)
  const runs = Array.from({ length: maxRuns }, () => cpuMs(() => text.split(' ').join('\n')))
  return Math.min(...runs)
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
