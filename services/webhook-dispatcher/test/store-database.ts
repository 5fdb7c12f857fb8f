import { connect, type Db } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'

export interface StoreDatabase {
  /** Database connection of the database owner. */
  db: Db
  /** Database connection with the grants of webhook-dispatcher's role. */
  own: Db
  [Symbol.asyncDispose](): Promise<void>
}

/** Creates a database for tests of SQL statements, without a running webhook-dispatcher. */
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
