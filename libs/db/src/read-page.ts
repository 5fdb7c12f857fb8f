import { type SelectQueryBuilder, sql } from 'kysely'

/** Parameters of an API operation that returns a list in pages. */
export interface PageRequest {
  /** Number of the requested page of an API list. The first page is 0, which is the default. */
  page?: number | undefined
  /** Number of rows per page of an API list. Defaults to 20. */
  pageSize?: number | undefined
}

/** Fields of an API list response that describe the page. */
export interface PageCounts {
  total: number
  page: number
  pages: number
}

export type Page<Row> = PageCounts & { rows: Row[] }

/** Returns the fields of an API response that describe the page of a list with `total` rows. */
export function pageCounts(total: number, { page = 0, pageSize = 20 }: PageRequest): PageCounts {
  return { total, page, pages: Math.ceil(total / pageSize) }
}

/**
 * Reads one page of an ordered SQL query, and counts all rows of the query in a second statement.
 * Without a transaction, a row that is written between the two statements is contained in only one
 * of the results.
 */
export async function readPage<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  request: PageRequest,
): Promise<Page<Row>> {
  const counted = await query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const { total } = counted as unknown as { total: number }
  return { ...pageCounts(total, request), rows: await readRows(query, request) }
}

/** Reads one page of an ordered SQL query without counting the rows of the query. */
export function readRows<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { page = 0, pageSize = 20 }: PageRequest,
): Promise<Row[]> {
  const rows = query.limit(pageSize).offset(page * pageSize)
  return rows.execute() as Promise<Row[]>
}
