import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { getShard } from '../../store/accounts.ts'
import { handle } from '../../http/route.ts'

/** There are none behind IMAP and SMTP. */
export function onGetServerSignatures({ db }: { db: Db }) {
  return handle(operations.getServerSignatures, async ({ params: { account } }) => {
    await getShard(db, account)
    return { signatures: [], signaturesSupported: false }
  })
}
