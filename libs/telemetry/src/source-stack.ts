import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Pattern of the position in a stack frame of a bundled file: URL or path, line and column. */
const position = /((?:file:\/\/)?\/[^\s()]+\.js):(\d+):(\d+)/g
/** Source maps, by path of the bundled file. Undefined for a file without a source map. */
const sourceMaps = new Map<string, SourceMap | undefined>()

/**
 * Returns the stack of an error. If the code is bundled, the stack contains positions in the
 * TypeScript sources.
 *
 * The source map of a file is read synchronously when it is first needed. Node's option
 * `--enable-source-maps` is not used: it reads all source maps at the start and needs 26 MB in each
 * process.
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
    // If there is no source map, because the file is not bundled or was deleted, the stack frame is
    // not changed.
    return undefined
  }
}
