/** The history of the shop's repository `payments`: the last commit leaks database connections. */

export interface DemoCommit {
  message: string;
  author: { name: string; email: string };
  /** Each file's whole content. */
  files: Readonly<Record<string, string>>;
}

/** Of the demo's repositories. */
export const ORGANISATION = 'shop';
/** Called as its service is. */
export const REPOSITORY = 'payments';
export const BRANCH = 'main';
/** The module that the service runs. */
export const HANDLER = 'src/ledger.js';

const README = `# payments

Charges customers, and books each charge in the ledger. \`src/ledger.js\` is what the service runs.
`;

const BOOKING = `/** Books one charge in the ledger. */
export async function handle(connect) {
  const connection = await connect();
  try {
    return await connection.query('INSERT INTO ledger_entries (order_id, amount) VALUES ($1, $2)');
  } finally {
    connection.release();
  }
}
`;

const LEAKING = `/** Customers press the button twice: about every third charge is there already. */
const isRepeated = ({ number }) => number % 3 === 0;

/** Books one charge in the ledger, unless it was booked before. */
export async function handle(connect, request) {
  const connection = await connect();
  if (isRepeated(request)) {
    return connection.query('SELECT 1 FROM ledger_entries WHERE order_id = $1');
  }
  const took = await connection.query('INSERT INTO ledger_entries (order_id, amount) VALUES ($1, $2)');
  connection.release();
  return took;
}
`;

const ada = { name: 'Ada Park', email: 'ada@shop.example' };
const noor = { name: 'Noor Haddad', email: 'noor@shop.example' };

/** What is there before the demo begins. */
export const healthy: readonly DemoCommit[] = [
  { message: 'Book charges in the ledger', author: ada, files: { 'README.md': README, [HANDLER]: BOOKING } },
  {
    message: 'Say who is on call',
    author: noor,
    files: { 'README.md': `${README}\nOn call: payments@shop.example\n` },
  },
];

/** The commit that breaks the service. */
export const breaking: DemoCommit = {
  message: 'Skip charges that are booked already',
  author: noor,
  files: { [HANDLER]: LEAKING },
};
