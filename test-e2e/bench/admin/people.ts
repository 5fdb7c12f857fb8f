import { type AdminWorld, password } from '../../admin/admin-world.ts'
import { ownHeaders } from '../../admin/raw-call.ts'

/** Signed-in person of the administration pages, without a browser. */
export interface Person {
  /** Value of the person's session cookie at admin-ui. */
  cookie: string
  /** Calls admin-ui as the administration pages do. @throws Error for an error status */
  call(method: string, path: string, body?: object): Promise<string>
}

/** Running system with the administration pages and a signed-in owner. */
export interface AdminStage {
  world: AdminWorld
  owner: Person
}

/** Creates the first owner of the administration pages with the set-up link. */
export function setUpPerson(world: AdminWorld): Promise<Person> {
  const person = { email: 'owner@example.com', name: 'Olivia Owner', password }
  return openLink(world, world.setUpUrl, person)
}

/** Invites a person to the administration pages by an owner and accepts the invitation. */
export async function joinPerson(world: AdminWorld, owner: Person, role: string): Promise<Person> {
  const email = `${role}@example.com`
  const reply = await owner.call('POST', '/admin/people/invitations', { email, role })
  const { link } = JSON.parse(reply) as { link: string }
  return openLink(world, link, { name: 'New Person', password })
}

/**
 * Uses a link of admin-ui such as `…/admin/set-up#token=…`. Returns the person that is then signed
 * in.
 */
async function openLink({ pagesUrl }: AdminWorld, link: string, body: object): Promise<Person> {
  const { pathname, hash } = new URL(link)
  const path = pathname.replace('/admin/', '/admin/session/')
  const token = hash.replace('#token=', '')
  const response = await send(pagesUrl, '', { method: 'POST', path, body: { token, ...body } })
  const cookies = response.headers.getSetCookie().join()
  const cookie = /posthorn-session=([^;]+)/.exec(cookies)?.[1] ?? ''
  return {
    cookie,
    call: async (method, path, body) =>
      (await send(pagesUrl, cookie, { method, path, ...(body && { body }) })).text(),
  }
}

async function send(
  origin: string,
  cookie: string,
  { method, path, body }: { method: string; path: string; body?: object },
): Promise<Response> {
  const response = await fetch(origin + path, {
    method,
    headers: ownHeaders(origin, cookie),
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}
