// Draws one component, chosen by a test, as the app would: same styles, same providers, strict mode.
import './page.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { applyTheme } from '../../../../web/src/app/theme.ts';
import { TimeSeriesChart } from '../../../../web/src/components/chart/time-series-chart.tsx';
import { ToolSeries } from '../../../../web/src/components/chart/tool-series.tsx';
import { ServiceGraph } from '../../../../web/src/components/graph/service-graph.tsx';
import { Markdown } from '../../../../web/src/components/markdown/markdown.tsx';
import { ToolResult } from '../../../../web/src/components/text-viewer/tool-result.tsx';
import { ToolTrace } from '../../../../web/src/components/trace/tool-trace.tsx';
import { ToastProvider } from '../../../../web/src/components/ui/toast.tsx';

applyTheme();
const components = { Markdown, ToolResult, TimeSeriesChart, ToolSeries, ToolTrace, ServiceGraph };
const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
const root = createRoot(document.querySelector('#root'));

globalThis.calls = [];

/** @param props what JSON can say, with `citations` as pairs of number and label; functions are recorded in `calls` */
globalThis.show = (name, props, { isStrict = true } = {}) => {
  const Shown = components[name];
  const note =
    (what) =>
    (...values) =>
      globalThis.calls.push([what, ...values]);
  const drawn = (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <h1 className="sr-only">Components</h1>
        <div className="p-4">
          <Shown
            {...props}
            {...(props.citations && { citations: new Map(props.citations), onCitation: note('onCitation') })}
            onSelect={note('onSelect')}
          />
        </div>
      </ToastProvider>
    </QueryClientProvider>
  );
  flushSync(() => root.render(isStrict ? <StrictMode>{drawn}</StrictMode> : drawn));
};
globalThis.hide = () => flushSync(() => root.render(null));
