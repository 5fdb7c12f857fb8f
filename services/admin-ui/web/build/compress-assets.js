import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Vite plugin that writes a `.br` and a `.gz` file beside each script and stylesheet. The server
 * then compresses nothing per request.
 */
export function compressAssets() {
  return {
    name: 'compress-assets',
    apply: 'build',
    writeBundle({ dir }) {
      const folder = join(dir, 'assets')
      for (const name of readdirSync(folder)) {
        if (!/\.(?:js|css)$/.test(name)) continue
        const bytes = readFileSync(join(folder, name))
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
