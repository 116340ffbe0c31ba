interface Settings {
  DATABASE_URL?: string | undefined;
  DATABASE_READ_URL?: string | undefined;
}

/** The servers in the address of a database: what is between the credentials and the name of the database. */
function serversIn(url: string): string {
  const [authority = ''] = url.slice(url.indexOf('//') + 2).split(/[/?]/);
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** What is wrong with the address of the standby beside that of the database. */
export function standbyFaults({ DATABASE_URL: own, DATABASE_READ_URL: read }: Settings) {
  const setting = 'DATABASE_READ_URL';
  if (read === undefined) return [];
  if (own === undefined) return [{ setting, message: 'needs DATABASE_URL: the embedded PostgreSQL has no standby' }];
  if (serversIn(read).includes(',')) {
    return [{ setting, message: 'must name one server: the age of the data of one is measured' }];
  }
  if (serversIn(read) === serversIn(own)) {
    return [{ setting, message: 'must not be the server of DATABASE_URL but a standby of it' }];
  }
  return [];
}
