import { type LiveTopic, mayFollow } from '@posthorn/contracts/admin/live'
import { useEffect, useSyncExternalStore } from 'react'
import type { Session } from '../admin-types.ts'
import { queryClient, sessionKey } from '../query-client.ts'
import { applyLiveFrames } from './apply-frames.ts'
import { LiveClient, type LiveState } from './live-client.ts'

const frames = applyLiveFrames({
  set: (key, data) => void queryClient.setQueryData(key, data),
  refresh: (key) => void queryClient.invalidateQueries({ queryKey: key }),
})

/** Live updates of this tab. */
const client = new LiveClient({
  fetch: (...args) => fetch(...args),
  mayFollow: (topic) => {
    const role = queryClient.getQueryData<Session | null>(sessionKey)?.person.role
    return role !== undefined && mayFollow(role, topic)
  },
  ...frames,
  onUnauthorized: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
})

const showVisibility = () => client.setVisible(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', showVisibility)
showVisibility()

const idle = () => 'idle' as const

/**
 * Follows a topic of the live updates while a page shows data of the topic. Returns the state of
 * the live updates; without a topic, `idle`.
 */
export function useLive(topic: LiveTopic | undefined): LiveState {
  useEffect(() => (topic === undefined ? undefined : client.follow(topic)), [topic])
  return useSyncExternalStore(client.subscribe, topic === undefined ? idle : client.state)
}
