import type { ReactNode } from 'react'
import type { Load } from '../../data/load-state.ts'
import { usePageQuery } from '../../routing/navigation.tsx'
import { Loaded } from '../states/loaded.tsx'
import { CursorPager, type CursorPagerProps } from './cursor-pager.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Pager, type PagerProps } from './pager.tsx'

interface EntryListProps<T, R> extends Omit<DataTableProps<R>, 'rows'> {
  load: Load<T>
  rows: (data: T) => readonly R[]
  /** Content of a list without entries. */
  empty: ReactNode
  /** Content above the table, from the loaded data. */
  head?: (data: T) => ReactNode
  /** Number of gray lines that stand for the list while it is loaded. */
  lines?: number
}

interface NumberedPage {
  pages: number
  total: number
}

export type PagedListProps<T extends NumberedPage, R> = EntryListProps<T, R> &
  Pick<PagerProps, 'noun' | 'plural'>

/** Table with a page of a loaded list, and buttons for its other pages by number. */
export function PagedList<T extends NumberedPage, R>(props: PagedListProps<T, R>) {
  const { load, rows, empty, head, lines = 5, noun, plural, ...table } = props
  return (
    <Loaded load={load} lines={lines} isEmpty={({ total }) => total === 0} empty={empty}>
      {(data) => (
        <>
          {head?.(data)}
          <DataTable rows={rows(data)} {...table} />
          <Pager pages={data.pages} total={data.total} noun={noun} {...(plural && { plural })} />
        </>
      )}
    </Loaded>
  )
}

interface CursorPage {
  nextCursor?: string | null
}

export type CursorListProps<T extends CursorPage, R> = EntryListProps<T, R> &
  Pick<CursorPagerProps, 'texts'>

/** Table with a page of a loaded list, and buttons for its other pages by cursor. */
export function CursorList<T extends CursorPage, R>(props: CursorListProps<T, R>) {
  const { load, rows, empty, head, lines = 10, texts, ...table } = props
  const [query] = usePageQuery()
  // A list page after the first page keeps the button that leads back, even without entries.
  const isEmpty = (data: T) => rows(data).length === 0 && !query['cursor']
  return (
    <Loaded load={load} lines={lines} isEmpty={isEmpty} empty={empty}>
      {(data) => (
        <>
          {head?.(data)}
          <DataTable rows={rows(data)} {...table} />
          <CursorPager next={data.nextCursor} {...(texts && { texts })} />
        </>
      )}
    </Loaded>
  )
}
