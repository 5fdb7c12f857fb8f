import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Privileges of a database role on a table, or the right to call a function. */
interface Grant {
  role: string
  name: string
  may: string
}

/** Renders the privileges of the database roles of services, read from the catalog, as Markdown. */
export async function describeGrants(db: Db): Promise<string> {
  const grants = await listGrants(db)
  const roles = [...new Set(grants.map(({ role }) => role))]
  return roles
    .map((role) => {
      const rows = grants.filter((grant) => grant.role === role)
      return `## ${role}\n\n| what | may |\n|---|---|\n${rows.map(({ name, may }) => `| ${name} | ${may} |\n`).join('')}`
    })
    .join('\n')
}

async function listGrants(db: Db): Promise<Grant[]> {
  const { rows } = await sql<Grant>`
    with held as (
      select c.relname as name, acl.grantee, lower(acl.privilege_type) as privilege, null::text as of_column
        from pg_class c, aclexplode(c.relacl) acl
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition
      union all
      select c.relname, acl.grantee, lower(acl.privilege_type), a.attname
        from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) acl
        where c.relnamespace = 'public'::regnamespace and not c.relispartition
      union all
      select p.proname || '()', acl.grantee, lower(acl.privilege_type) || case when p.prosecdef then ' as the owner' else '' end, null
        from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
        where p.pronamespace = 'public'::regnamespace
    ), spoken as (
      select grantee, name, privilege || case when bool_or(of_column is null) then '' else ' (' || string_agg(of_column, ', ' order by of_column) || ')' end as may
        from held group by grantee, name, privilege
    )
    select coalesce(r.rolname, 'everybody') as role, name, string_agg(may, ', ' order by may) as may
      from spoken left join pg_roles r on r.oid = grantee
      where grantee = 0 or r.rolname like 'posthorn\\_%'
      group by 1, 2 order by 1, 2`.execute(db)
  return rows
}
