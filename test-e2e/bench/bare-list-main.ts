// Bare client of the Gmail API in its own process. Lists the ids of all messages of a mailbox at
// the Gmail fake.
const [origin = '', token = ''] = process.argv.slice(2)

process.on('message', () => void list().then((count) => process.send?.({ count })))
process.on('disconnect', () => process.exit(0))
// The first request to the Gmail fake is not measured, because it loads the HTTP client.
await read('?maxResults=1')
process.send?.({ port: 0 })

async function list(): Promise<number> {
  let count = 0
  let pageToken = ''
  do {
    const page = await read(`?maxResults=500${pageToken}`)
    count += page.messages?.length ?? 0
    pageToken = page.nextPageToken === undefined ? '' : `&pageToken=${page.nextPageToken}`
  } while (pageToken !== '')
  return count
}

async function read(query: string): Promise<{ messages?: unknown[]; nextPageToken?: string }> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${origin}/gmail/v1/users/me/messages${query}`, { headers })
  return (await response.json()) as { messages?: unknown[]; nextPageToken?: string }
}
