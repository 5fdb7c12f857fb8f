import { type SelectQueryBuilder, sql } from 'kysely'

/** Page parameters of a list operation of the API. */
export interface PageRequest {
  /** Page number, from 0; defaults to 0. */
  page?: number | undefined
  /** Rows per page; defaults to 20. */
  pageSize?: number | undefined
}

/** Page fields of a list response of the API. */
export interface PageCounts {
  total: number
  page: number
  pages: number
}

export type Page<Row> = PageCounts & { rows: Row[] }

/** Returns the page fields of a response for a list of `total` rows. */
export function pageCounts(total: number, { page = 0, pageSize = 20 }: PageRequest): PageCounts {
  return { total, page, pages: Math.ceil(total / pageSize) }
}

/**
 * Reads one page of an ordered query, and counts all rows of the query in a separate statement.
 * Without a transaction, rows written between the two statements show in one result only.
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

/** Reads one page of an ordered query without counting the rows of the query. */
export function readRows<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { page = 0, pageSize = 20 }: PageRequest,
): Promise<Row[]> {
  const rows = query.limit(pageSize).offset(page * pageSize)
  return rows.execute() as Promise<Row[]>
}
