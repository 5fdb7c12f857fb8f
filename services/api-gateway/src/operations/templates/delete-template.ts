import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { assertAccount } from '../../access/admit.ts'
import { deleteTemplate, getTemplate, templateNotFound } from '../../store/templates.ts'
import { handle } from '../../http/route.ts'

export function onDeleteTemplate({ db }: { db: Db }) {
  return handle(operations.deleteTemplate, async ({ params: { template: id }, caller }) => {
    const stored = await getTemplate(db, id)
    if (!stored) throw templateNotFound()
    assertAccount(caller.token, stored.account)
    if (!(await deleteTemplate(db, id))) throw templateNotFound()
    return { deleted: true, account: stored.account, id }
  })
}
