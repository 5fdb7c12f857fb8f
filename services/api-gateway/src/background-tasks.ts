import { TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

/** Work that a response does not wait for, such as hints. A periodic task repairs what is lost. */
export type BackgroundTasks = TaskGroup

/** Creates a group that logs failures. Disposal waits for running tasks, which limit their time. */
export function createBackgroundTasks(log: Logger): BackgroundTasks {
  return new TaskGroup({ onError: (err) => log.debug({ err }, 'background task failed') })
}
