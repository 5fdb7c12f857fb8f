import { posix } from 'node:path'
import type { Page } from './page.ts'

/** Entry of the documentation's side bar, in the form of Starlight's option `sidebar`. */
export type SideBarEntry =
  | { slug: string }
  | { label: string; link: string }
  | { label: string; collapsed: boolean; items: SideBarEntry[] }

/**
 * Side bar of the documentation site with a group per folder. Pages have the order of their front
 * matter, and folders follow the pages beside them, by name. Groups below the first level are
 * collapsed.
 */
export function sideBar(pages: readonly Page[], folder = '.'): SideBarEntry[] {
  const own = pages
    .filter(({ path }) => posix.dirname(path) === folder)
    .toSorted((a, b) => a.order - b.order || (a.path < b.path ? -1 : 1))
    .map(({ path }) => ({ slug: path.replace(/\.md$/, '') }))
  const groups = childFolders(pages, folder).map((child) => ({
    label: labelOf(posix.basename(child)),
    collapsed: folder !== '.',
    items: sideBar(pages, child),
  }))
  return [...own, ...groups]
}

function childFolders(pages: readonly Page[], folder: string): string[] {
  const start = folder === '.' ? '' : `${folder}/`
  const names = pages
    .filter(({ path }) => path.startsWith(start) && path.slice(start.length).includes('/'))
    .map(({ path }) => start + (path.slice(start.length).split('/')[0] ?? ''))
  return [...new Set(names)].toSorted()
}

function labelOf(folder: string): string {
  return folder.charAt(0).toUpperCase() + folder.slice(1).replaceAll('-', ' ')
}
