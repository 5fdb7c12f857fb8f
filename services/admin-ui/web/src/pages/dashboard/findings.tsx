import type { Load } from '../../data/load-state.ts'
import type { Finding } from '../../data/overview.ts'
import { Badge, type Tone } from '../../kit/content/badge.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import css from './dashboard.module.css'
import { linkOfFinding } from './finding-links.ts'

const tones: Readonly<Record<Finding['level'], Tone>> = {
  error: 'bad',
  warning: 'warn',
  info: 'neutral',
}

/** Panel with the problems of the installation and their remedies, the most urgent first. */
export function Findings({ load }: { load: Load<{ findings: Finding[] }> }) {
  return (
    <Panel title="Findings">
      <Loaded
        load={load}
        lines={2}
        isEmpty={({ findings }) => findings.length === 0}
        empty={<p>No problem was found. Problems appear here with their remedies.</p>}
      >
        {({ findings }) => (
          <ul className={css['list']}>
            {findings.map((finding) => (
              <FindingItem key={finding.id} finding={finding} />
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}

function FindingItem({ finding }: { finding: Finding }) {
  const { id, level, title, detail, remedy, count, since } = finding
  const link = linkOfFinding(id)
  return (
    <li>
      <Badge tone={tones[level]}>{level}</Badge> <strong>{title}</strong>
      {count !== undefined && ` · ${count.toLocaleString('en')}`}
      {since !== undefined && (
        <>
          {' '}
          · oldest <Time value={since} />
        </>
      )}
      <p>{detail}</p>
      <p>
        {remedy}{' '}
        {link && (
          <AppLink to={link.path} query={link.query ?? {}}>
            {link.text}
          </AppLink>
        )}
      </p>
    </li>
  )
}
