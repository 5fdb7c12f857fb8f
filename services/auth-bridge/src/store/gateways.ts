import type { Db } from '@posthorn/db'

/** Who logs in at a gateway, and the sealed password beside it. Undefined when there is no such gateway. */
export function findGatewayLogin(db: Db, gateway: string) {
  return db
    .selectFrom('gateways')
    .leftJoin('gatewayCredentials', 'gatewayCredentials.gateway', 'gateways.gateway')
    .select(['username', 'sealed'])
    .where('gateways.gateway', '=', gateway)
    .executeTakeFirst()
}

/** Where the password of a gateway belongs: it opens at no other place. */
export function placeOfGatewayPassword(gateway: string): string {
  return `gateways/${gateway}`
}
