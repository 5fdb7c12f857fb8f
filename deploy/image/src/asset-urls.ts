import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Plugin, PluginContext } from 'rolldown'

/** Pattern of the expression `new URL('./file', import.meta.url)` in a source file. */
const relativeUrl = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url,?\s*\)/g
/** Pattern of the expression `import.meta.resolve('package/file')` in a source file. */
const packageUrl = /import\.meta\.resolve\('([^']+)'\)/g

/**
 * Pattern of the call `register('package/file', import.meta.url)` in a source file. The package in
 * such a call is not bundled.
 */
const loaderHook = /\bregister\('[^'.][^']*', import\.meta\.url\)/g

/**
 * Bundler plugin for the two ways in which source files refer to other files. A TypeScript file
 * becomes an entry point, for example the module of a worker thread. Other files and folders are
 * copied to `assets/`, unless they are below `.local` and have not been built. Any other use of a
 * source file's path makes the build fail. All chunks of the bundle are in one folder, so a
 * relative URL is valid in every chunk. `sources` collects the copied files.
 */
export function assetUrls(root: string, sources: string[]): Plugin {
  const copied = new Set<string>()

  function copy(context: PluginContext, path: string, name: string): string {
    if (!path.endsWith('/')) {
      if (copied.has(name)) return name
      context.emitFile({ type: 'asset', fileName: name, source: readFileSync(path) })
      copied.add(name)
      sources.push(path)
      return name
    }
    const isMissing = name.startsWith('assets/.local/') && !existsSync(path)
    for (const entry of isMissing ? [] : readdirSync(path, { withFileTypes: true })) {
      const slash = entry.isDirectory() ? '/' : ''
      copy(context, join(path, entry.name) + slash, `${name}${entry.name}${slash}`)
    }
    return name
  }

  function emit(context: PluginContext, path: string): string {
    const name = relative(root, path) + (path.endsWith('/') ? '/' : '')
    if (!path.endsWith('.ts')) return copy(context, path, `assets/${name}`)
    const fileName = name.replace('/src/', '/').replaceAll('/', '-').replace(/\.ts$/, '.js')
    context.emitFile({ type: 'chunk', id: path, fileName })
    return fileName
  }

  return {
    name: 'asset-urls',
    transform: {
      filter: { code: 'import.meta' },
      handler(text, id) {
        if (!id.startsWith(root) || id.includes('/node_modules/')) return null
        const code = text
          .replace(relativeUrl, (_match, path: string) => {
            const slash = path.endsWith('/') ? '/' : ''
            return urlOf(emit(this, resolve(dirname(id), path) + slash))
          })
          .replace(packageUrl, (_match, name: string) => {
            const path = createRequire(id).resolve(name)
            return `${urlOf(copy(this, path, `assets/${basename(path)}`))}.href`
          })
        const rest = code.replaceAll(relativeUrl, '').replaceAll(loaderHook, '')
        if (/import\.meta\.(dirname|filename|resolve|url)/.test(rest))
          this.error(`${relative(root, id)} uses a path that the bundle does not have`)
        return { code, map: null }
      },
    },
  }
}

function urlOf(name: string): string {
  return `new URL('./${name}', import.meta.url)`
}
