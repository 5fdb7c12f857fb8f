import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { measureFiles } from './measure-files.js'

/** Maximum bytes (brotli) of the scripts and styles that the first view of the pages loads. */
const firstViewBytes = 260_000
/** Maximum bytes (brotli) that any further page adds to the first view. */
const pageBytes = 60_000
/** Maximum bytes (brotli) that the editor adds to the pages that show one. */
const editorBytes = 140_000
/** Script of the editor, which pages load when they show an editor. */
const editor = 'src/editor/editor-surface.tsx'
/** Maximum requests of the first view of the pages. */
const firstViewRequests = 15
/** Requests of the first view that load no script or style: the HTML, and four calls. */
const otherRequests = 5
/** Page that opens after the sign-in. Its files belong to the first view. */
const firstPage = 'src/pages/dashboard/dashboard-page.tsx'

/**
 * Vite plugin that fails the build if a page is larger than its budget. Runs after the compression.
 */
export function checkBudgets() {
  return {
    name: 'check-budgets',
    apply: 'build',
    writeBundle({ dir }) {
      const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'))
      const sizeOf = (file) => statSync(join(dir, `${file}.br`)).size
      const { first, pages } = measureFiles(manifest, firstPage)
      const bytes = (files) => files.reduce((sum, file) => sum + sizeOf(file), 0)
      const rows = [
        ['first view', bytes(first), firstViewBytes],
        ...pages.map(({ name, files }) => [
          name,
          bytes(files),
          name === editor ? editorBytes : pageBytes,
        ]),
      ]
      for (const [name, size, budget] of rows) this.info(`${name}: ${size} of ${budget} bytes`)
      const above = rows.filter(([, size, budget]) => size > budget).map(([name]) => name)
      if (above.length > 0) this.error(`larger than the budget: ${above.join(', ')}`)
      if (first.length + otherRequests > firstViewRequests)
        this.error(`the first view needs ${first.length} files and ${otherRequests} other requests`)
    },
  }
}
