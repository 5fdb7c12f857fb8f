import { useEffect, useRef, useState } from 'react'
import { type JobState, jobNews, type NamedJob } from '../../data/jobs/job-text.ts'

/**
 * Returns the text that announces the latest starts and ends of jobs. Jobs of the first list, which
 * is loaded when the page is opened, are not announced as started. `jobs` is undefined until the
 * first list is loaded.
 */
export function useJobNews(jobs: readonly NamedJob[] | undefined): string {
  const before = useRef<ReadonlyMap<string, JobState>>(undefined)
  const [text, setText] = useState('')
  useEffect(() => {
    if (!jobs) return
    const news = before.current ? jobNews(before.current, jobs) : []
    before.current = new Map(jobs.map(({ id, state }) => [id, state]))
    if (news.length > 0) setText(news.join(' '))
  }, [jobs])
  return text
}
