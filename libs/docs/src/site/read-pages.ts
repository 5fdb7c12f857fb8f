import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { referencePages } from '../reference/reference-pages.ts'
import { type Page, parsePage } from './page.ts'
import { nameRepositoryFiles } from './rewrite-links.ts'

const folder = resolve(import.meta.dirname, '../..')

/** Reads all pages of the documentation site, and its home page. */
export function readPages(): { home: Page; pages: Page[] } {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const guides = globSync('guides/*.md', { cwd: folder }).toSorted()
  return {
    home: parsePage('index.md', read('home.md')),
    pages: [
      ...guides.map((path) => readGuide(path, read(path))),
      ...[...referencePages()].map(([path, text]) => parsePage(path, text)),
    ],
  }
}

function readGuide(path: string, text: string): Page {
  const page = parsePage(path, text)
  return { ...page, body: nameRepositoryFiles(page.body, path, 'libs/docs') }
}
