/**
 * Two systems that start at the same moment may find the same port free: one of them then hears the other say that it is ready.
 *
 * @throws Error when what answers there does not know our token
 */
export async function assertApiToken(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`${url}/v1/license`, { headers })
  if (status !== 200)
    throw new Error(`something else answers at ${url}: give POSTHORN_PORT another port`)
}
