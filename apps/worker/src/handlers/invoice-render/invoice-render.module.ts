import { Module, type DynamicModule } from '@nestjs/common';
import { ThreadDataModule } from '../../reports/thread-data.module.js';
import { InvoiceRenderHandler } from './invoice-render.handler.js';

@Module({})
class InvoiceRenderModule {}

/** Runs jobs of the type `invoice.render` in a thread. */
export default (): DynamicModule => ({
  module: InvoiceRenderModule,
  imports: [ThreadDataModule.fromEnvironment()],
  providers: [InvoiceRenderHandler],
});
