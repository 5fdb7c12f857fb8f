import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Pattern of the position of a stack frame in a bundled file: URL or path, line and column. */
const position = /((?:file:\/\/)?\/[^\s()]+\.js):(\d+):(\d+)/g
/** Source maps by bundled file; undefined for files without a map. */
const sourceMaps = new Map<string, SourceMap | undefined>()

/**
 * Stack of an error with the positions of the TypeScript sources, if the code is bundled.
 *
 * The source map of a file is read at its first frame, synchronously. `--enable-source-maps` reads
 * all source maps at the start and takes 26 MB in each process.
 */
export function sourceStack({ stack }: Error): string | undefined {
  return stack?.replaceAll(position, (frame, file: string, ...at: string[]) => {
    const [line = 0, column = 0] = at.map(Number)
    const entry = sourceMapOf(file)?.findEntry(line - 1, column - 1)
    if (!entry || !('originalSource' in entry)) return frame
    const { originalSource, originalLine, originalColumn } = entry
    return `${new URL(originalSource, toUrl(file)).href}:${originalLine + 1}:${originalColumn + 1}`
  })
}

const toUrl = (file: string) => (file.startsWith('file:') ? file : pathToFileURL(file).href)

function sourceMapOf(file: string): SourceMap | undefined {
  if (file.includes('/node_modules/')) return undefined
  if (!sourceMaps.has(file)) sourceMaps.set(file, readSourceMap(file))
  return sourceMaps.get(file)
}

function readSourceMap(file: string): SourceMap | undefined {
  try {
    const text = readFileSync(`${fileURLToPath(toUrl(file))}.map`, 'utf8')
    return new SourceMap(JSON.parse(text) as SourceMapPayload)
  } catch {
    // The file is not bundled, or was deleted: the stack frame stays as it is.
    return undefined
  }
}
