import http from 'node:http'
import type { Plugin } from 'rolldown'

const virtual = '\0http'
/** Exports of `node:http` that load the HTTP client of `fetch` when they are read. */
const lazyExports = new Set(['CloseEvent', 'MessageEvent', 'WebSocket'])

/**
 * Bundler plugin that loads `node:http` with `require` where code imports the module. An import
 * reads all exports, including the WebSocket exports. The WebSocket exports load a second HTTP
 * client, which no process here uses and which takes 14 MB in each process (Node 24).
 */
export function httpModule(): Plugin {
  const names = Object.keys(http).filter((name) => !lazyExports.has(name))
  return {
    name: 'http-module',
    resolveId: {
      filter: { id: /^(node:)?http$/ },
      handler: (_id, _importer, { kind }) => (kind === 'require-call' ? null : virtual),
    },
    load: {
      filter: { id: new RegExp(`^${virtual}$`) },
      handler: () => ({
        code: [
          `import { createRequire } from 'node:module'`,
          `const http = createRequire(import.meta.url)('node:http')`,
          'export default http',
          `export const { ${names.join(', ')} } = http`,
        ].join('\n'),
      }),
    },
  }
}
