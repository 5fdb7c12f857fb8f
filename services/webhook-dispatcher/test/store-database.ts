import { connect, type Db } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'

export interface StoreDatabase {
  /** Connection of the owner. */
  db: Db
  /** Connection with the grants of the service's role. */
  own: Db
  [Symbol.asyncDispose](): Promise<void>
}

/** Creates a database for tests of statements, without a running dispatcher. */
export async function storeDatabase(): Promise<StoreDatabase> {
  const database = await testDatabase()
  const own = connect(database.roleUrl('posthorn_webhook_dispatcher'), { name: 'test' })
  return {
    db: database.db,
    own,
    [Symbol.asyncDispose]: async () => {
      await own.destroy()
      await database.drop()
    },
  }
}
