import type { Db, Templates } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql, type Updateable } from 'kysely'

export function templateNotFound(): AppError {
  return new AppError('not-found', 'The template was not found', { code: 'NotFound' })
}

/** What sending needs of a template; undefined when there is none of that id. `account` null: it is everybody's. */
export function getTemplate(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'format', 'content'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export function findTemplate(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'name', 'description', 'format'])
    .select(['content', 'createdAt', 'updatedAt'])
    .where('id', '=', id)
    .executeTakeFirst()
}
export type TemplateRow = NonNullable<Awaited<ReturnType<typeof findTemplate>>>

export interface TemplateFilter {
  /** Null: those of everybody. */
  account: string | null
  page: number
  pageSize: number
}

/** One page of the templates of an account, or of everybody's; the newest first. */
export async function listTemplates(db: Db, { account, page, pageSize }: TemplateFilter) {
  const matching = db
    .selectFrom('templates')
    .where('account', account === null ? 'is' : '=', account)
  const { total } = await matching
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .select(['id', 'name', 'description', 'format', 'createdAt', 'updatedAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}

export async function insertTemplate(db: Db, template: Insertable<Templates>): Promise<void> {
  await db.insertInto('templates').values(template).execute()
}

export type TemplateColumns = Pick<
  Updateable<Templates>,
  'name' | 'description' | 'format' | 'content'
>

/** Whether there was such a template. */
export async function updateTemplate(
  db: Db,
  id: string,
  columns: TemplateColumns,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('templates')
    .set({ ...columns, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteTemplate(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('templates')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** All that an account has for itself. */
export async function deleteTemplatesOf(db: Db, account: string): Promise<void> {
  await db.deleteFrom('templates').where('account', '=', account).execute()
}
