import assert from 'node:assert/strict';
import { budgetReport, firstViews, type Manifest } from '../../../scripts/first-views.ts';

const manifest: Manifest = {
  'index.html': {
    file: 'assets/index.js',
    isEntry: true,
    imports: ['_react.js'],
    dynamicImports: ['src/pages/list/index.tsx', 'src/pages/chart.tsx', 'src/app/palette.tsx'],
  },
  '_react.js': { file: 'assets/react.js', imports: ['_shared.js'] },
  '_shared.js': { file: 'assets/shared.js', imports: ['_react.js'] },
  'src/pages/list/index.tsx': { file: 'assets/list.js', imports: ['index.html', '_react.js'] },
  'src/pages/chart.tsx': {
    file: 'assets/chart.js',
    imports: ['_plot.js', '_style.js'],
    dynamicImports: ['src/pages/graph.tsx'],
  },
  '_plot.js': { file: 'assets/plot.js', imports: ['_shared.js'] },
  '_style.js': { file: 'assets/style.css' },
  'src/pages/graph.tsx': { file: 'assets/graph.js' },
  'src/app/palette.tsx': { file: 'assets/palette.js' },
};

const gzip: Record<string, number> = {
  'assets/index.js': 1_000,
  'assets/react.js': 60_000,
  'assets/shared.js': 500,
  'assets/list.js': 10_000,
  'assets/chart.js': 20_000,
  'assets/plot.js': 30_000,
};

const views = (sizes = gzip) =>
  firstViews(manifest, (file) => {
    const size = sizes[file];
    assert.ok(size !== undefined, `${file} is not loaded before the page is there`);
    return { gzip: size, brotli: size / 2 };
  });

describe('the first view of a page', () => {
  it('is the entry and the page with all that they import, each file once, and nothing that is loaded later', () => {
    assert.deepEqual(
      views().map(({ page, total }) => ({ page, ...total })),
      [
        { page: 'chart.tsx', gzip: 111_500, brotli: 55_750 },
        { page: 'list/index.tsx', gzip: 71_500, brotli: 35_750 },
      ],
    );
  });

  it('is shown for each page', () => {
    const { text, over } = budgetReport(views(), 250_000);
    assert.equal(over, false);
    assert.deepEqual(text.split('\n'), [
      'page                 gzip     brotli',
      'chart.tsx        111.5 kB    55.8 kB',
      'list/index.tsx    71.5 kB    35.8 kB',
    ]);
  });

  it('is refused from the budget on, with the scripts that weigh most', () => {
    const at = (plot: number) => budgetReport(views({ ...gzip, 'assets/plot.js': plot }), 250_000);
    assert.equal(at(168_499).over, false);
    const { text, over } = at(168_500);
    assert.equal(over, true);
    const complaints = text.split('\n').slice(3);
    assert.equal(complaints.length, 1);
    assert.match(
      complaints[0]!,
      /^chart\.tsx: .*250\.0 kB.* less than 250\.0 kB\. The heaviest: assets\/plot\.js \(168\.5 kB\), assets\/react\.js \(60\.0 kB\), assets\/chart\.js/,
    );
  });

  it('cannot be computed from an incomplete manifest', () => {
    const none = () => ({ gzip: 0, brotli: 0 });
    assert.throws(() => firstViews({}, none), /no entry/);
    const { '_plot.js': _, ...broken } = manifest;
    assert.throws(() => firstViews(broken, none), /does not have _plot\.js/);
  });
});
