import { type HeaderOwner, type Sealer, sealHeaders } from '@posthorn/secrets'

/** Headers as they are put in a column, with their values sealed for the owner. */
export async function sealHeaderColumn(
  json: string,
  owner: HeaderOwner,
  sealer: Sealer,
): Promise<string> {
  const headers = JSON.parse(json) as { key: string; value: string }[]
  return JSON.stringify(await sealHeaders(headers, owner, sealer))
}
