/**
 * Checks that the API at a URL belongs to the local system that this process started. Two systems
 * that start concurrently may choose the same free port.
 * @throws Error if the API does not accept the token.
 */
export async function assertApiToken(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`${url}/v1/license`, { headers })
  if (status !== 200)
    throw new Error(`another system listens at ${url}: set POSTHORN_PORT to another port`)
}
