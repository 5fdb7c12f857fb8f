import {
  type LiveTopic,
  liveOperation,
  liveTopics,
  mayFollow,
  parseLiveTopics,
} from '@posthorn/contracts/admin/live'
import { type AdminRole, requiredRoleOf } from '@posthorn/contracts/admin/roles'
import { AppError } from '@posthorn/errors'
import type { Request, Router } from 'express'
import type { Authenticate } from '../identity/signed-in.ts'
import type { LiveUpdates } from '../live/live-updates.ts'
import { endpoint } from './endpoint.ts'

export interface LiveDeps {
  authenticate: Authenticate
  live: Pick<LiveUpdates, 'serve'>
}

/** Mounts the endpoint that streams live updates to a tab of the administration pages. */
export function mountLive(router: Router, { authenticate, live }: LiveDeps): void {
  const handler = endpoint(async ({ request, response }) => {
    const signedIn = await authenticate(request)
    const topics = readTopics(request)
    assertRights(signedIn.person.role, topics)
    await live.serve({ signedIn, topics, response })
  })
  router.get('/admin/live', handler)
}

function readTopics({ query }: Request): ReadonlySet<LiveTopic> {
  const { topics: text } = query
  const topics = typeof text === 'string' ? parseLiveTopics(text) : undefined
  if (topics) return topics
  const names = liveTopics.join(', ')
  throw new AppError('invalid', `topics must list topics, separated by commas: ${names}`)
}

function assertRights(role: AdminRole, topics: ReadonlySet<LiveTopic>): void {
  const refused = [...topics].find((topic) => !mayFollow(role, topic))
  if (refused === undefined) return
  const requiredRole = requiredRoleOf(liveOperation(refused))
  throw new AppError('forbidden', `The topic ${refused} needs the role ${requiredRole}`, {
    extras: { requiredRole },
  })
}
