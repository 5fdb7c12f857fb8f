import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { assertAccount } from '../../access/admit.ts'
import { findTemplate, templateNotFound } from '../../store/templates.ts'
import { handle } from '../../http/route.ts'
import { describeTemplate } from './template-record.ts'

export function onGetTemplate({ db }: { db: Db }) {
  return handle(operations.getTemplate, async ({ params, caller }) => {
    const row = await findTemplate(db, params.template)
    if (!row) throw templateNotFound()
    if (row.account !== null) assertAccount(caller.token, row.account)
    return describeTemplate(row)
  })
}
